package com.example.bank;

public interface Statements {
    Statement of(String account);
}
