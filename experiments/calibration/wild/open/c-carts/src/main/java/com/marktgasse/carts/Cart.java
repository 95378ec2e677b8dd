package com.marktgasse.carts;

import java.util.List;

final class Cart {
    static final List<String> SHOPS = List.of("bakery", "cheese", "wine", "garden");

    private Cart() {
    }

    static String key(long customer, String shop) {
        return String.format("cart:%07d:%s", customer, shop);
    }

    static String pattern(long customer) {
        return String.format("cart:%07d:*", customer);
    }

    static String index(long customer) {
        return String.format("carts:%07d", customer);
    }
}
