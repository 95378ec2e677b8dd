package com.example.forum;

import java.util.List;
import java.util.regex.Pattern;

/** Makes the page of a thread. */
abstract class Renderer {
    static Renderer named(String version) {
        return version.equals("2") ? new Version2() : new Version1();
    }

    String page(List<String> comments) {
        StringBuilder page = new StringBuilder("<ol>\n");
        for (String comment : comments) {
            String text = trim(comment);
            page.append("<li>").append(text, 0, Math.min(text.length(), 200)).append("</li>\n");
        }
        return page.append("</ol>\n").toString();
    }

    /** Returns the text without blanks at its beginning and end, also without the invisible ones that come from word processors. */
    abstract String trim(String text);

    private static final class Version1 extends Renderer {
        private static final Pattern BLANKS = Pattern.compile("^[\\s\\u200c]+|[\\s\\u200c]+$");

        @Override
        String trim(String text) {
            return BLANKS.matcher(text).replaceAll("");
        }
    }

    private static final class Version2 extends Renderer {
        @Override
        String trim(String text) {
            int begin = 0;
            int end = text.length();
            while (begin < end && blank(text.charAt(begin))) {
                begin++;
            }
            while (end > begin && blank(text.charAt(end - 1))) {
                end--;
            }
            return text.substring(begin, end);
        }

        private static boolean blank(char letter) {
            return letter == '\u200c' || letter == ' ' || letter >= '\t' && letter <= '\r';
        }
    }
}
