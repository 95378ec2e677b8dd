package news.feed;

import java.util.ArrayList;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class FeedController {
    record Article(int id, String title, String teaser, List<String> topics) {}

    private final Recent recent;
    private final Settings settings;

    public FeedController(Recent recent, Settings settings) {
        this.recent = recent;
        this.settings = settings;
    }

    @GetMapping("/feed")
    public List<Article> feed(@RequestParam int reader) {
        int count = settings.articles();
        List<Article> feed = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            feed.add(new Article(i, "Harbour festival, day " + i, "Thousands came to see the tall ships leave the fjord.", List.of("city", "sea")));
        }
        recent.read(reader);
        return feed;
    }
}
