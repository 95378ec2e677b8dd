package com.example.tills;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class TillController {
    private final Map<Integer, Integer> openReceipts = new ConcurrentHashMap<>();

    TillController() {
        for (int till = 1; till <= 40; till++) {
            openReceipts.put(till, till % 4);
        }
    }

    @GetMapping("/tills/{till}/open")
    Till open(@PathVariable int till) {
        return new Till(till, openReceipts.getOrDefault(till, 0));
    }

    record Till(int till, int receipts) {}
}
