package com.example.wiki;

import com.github.benmanes.caffeine.cache.Cache;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class PageController {
    private final Cache<String, String> pages;

    public PageController(Cache<String, String> pages) {
        this.pages = pages;
    }

    /** The beginning of an article, for the search results. */
    @GetMapping(path = "/articles/{id}/abstract", produces = MediaType.TEXT_HTML_VALUE)
    public String summary(@PathVariable String id) {
        String page = pages.get(id, PageRenderer::render);
        return page.substring(0, page.indexOf("</p>") + 4);
    }
}
