package com.example.wiki;

/** Makes the page of an article. */
final class PageRenderer {
    private static final String[] WORDS = {
        "the", "railway", "between", "both", "towns", "was", "opened", "in", "several", "steps", "and", "closed", "again", "when", "coal", "ran", "short"
    };

    private static final int PARAGRAPHS = 24;
    private static final int WORDS_OF_A_PARAGRAPH = 110;

    private PageRenderer() {}

    static String render(String article) {
        StringBuilder page = new StringBuilder(20_000);
        int word = article.hashCode();
        for (int paragraph = 0; paragraph < PARAGRAPHS; paragraph++) {
            page.append("<p>");
            for (int i = 0; i < (paragraph == 0 ? 30 : WORDS_OF_A_PARAGRAPH); i++) {
                word = word * 31 + 7;
                page.append(WORDS[Math.floorMod(word >> 8, WORDS.length)]).append(' ');
            }
            page.append("</p>\n");
        }
        return page.toString();
    }
}
