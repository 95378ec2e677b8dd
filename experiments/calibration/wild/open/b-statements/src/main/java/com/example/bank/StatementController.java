package com.example.bank;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class StatementController {
    private final Statements statements;

    public StatementController(Statements statements) {
        this.statements = statements;
    }

    @GetMapping("/statements/{account}")
    public Statement statement(@PathVariable String account) {
        return statements.of(account);
    }
}
