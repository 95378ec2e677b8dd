package com.example.bank;

import java.util.List;

public record Statement(String account, List<Line> lines) {
    public record Line(String date, String amount, String text) {}
}
