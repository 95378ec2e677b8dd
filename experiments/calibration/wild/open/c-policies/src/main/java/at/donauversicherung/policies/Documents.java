package at.donauversicherung.policies;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.List;

/** The documents of policies, which customers open several times in a visit. */
class Documents {
    private static final String[] COVERS = {"Fire", "Storm and hail", "Burglary", "Tap water", "Glass", "Liability"};

    private final Cache<String, Document> recent;

    Documents(String cache) {
        Caffeine<Object, Object> builder = Caffeine.newBuilder();
        recent = cache.equals("soft") ? builder.softValues().build() : builder.maximumSize(Long.parseLong(cache)).build();
    }

    Document of(String policy) {
        return recent.get(policy, Documents::compose);
    }

    private static Document compose(String policy) {
        List<Section> sections = new ArrayList<>();
        for (String cover : COVERS) {
            for (int clause = 1; clause <= 8; clause++) {
                sections.add(new Section(cover, "§ " + clause, "Policy " + policy + " covers " + cover.toLowerCase()
                    + " up to " + clause * 10_000 + " euros, less an excess of " + clause * 100 + " euros."));
            }
        }
        return new Document(policy, sections);
    }

    record Section(String cover, String clause, String text) {
    }

    record Document(String policy, List<Section> sections) {
        String summary() {
            StringBuilder summary = new StringBuilder(512).append("<h1>Your policy</h1><ul>");
            String last = "";
            for (Section section : sections) {
                if (!section.cover().equals(last)) {
                    last = section.cover();
                    summary.append("<li>").append(last).append("</li>");
                }
            }
            return summary.append("</ul>").toString();
        }
    }
}
