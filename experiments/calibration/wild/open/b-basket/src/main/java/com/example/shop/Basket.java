package com.example.shop;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a visitor wants to buy. */
class Basket implements Serializable {
    private static final long serialVersionUID = 1L;

    private final Map<String, Integer> articles = new LinkedHashMap<>();

    synchronized void add(String article) {
        articles.merge(article, 1, Integer::sum);
    }

    synchronized String json() {
        StringBuilder json = new StringBuilder("{\"articles\":{");
        articles.forEach((article, count) -> {
            if (json.charAt(json.length() - 1) != '{') {
                json.append(',');
            }
            json.append('"').append(article).append("\":").append(count);
        });
        return json.append("}}").toString();
    }
}
