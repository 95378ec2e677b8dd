package com.example.forum;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** All comments, by thread. */
final class Comments {
    private final Map<String, List<String>> threads;

    private Comments(Map<String, List<String>> threads) {
        this.threads = threads;
    }

    static Comments load() {
        return new Comments(Map.of("17", thread(""), "1042", thread(table())));
    }

    List<String> of(String thread) {
        return threads.getOrDefault(thread, List.of());
    }

    private static List<String> thread(String pasted) {
        List<String> comments = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            comments.add("  I have seen the same with release " + i + ", and it went away after a restart.\n");
        }
        if (!pasted.isEmpty()) {
            comments.add(pasted);
        }
        return comments;
    }

    /** Somebody pasted the output of a terminal whose columns are filled with blanks. */
    private static String table() {
        return "-- PROCESS" + " ".repeat(3000) + "STATE --";
    }
}
