package com.example.bank;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
public class StatementApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(StatementApplication.class, arguments);
    }

    @Bean
    @ConditionalOnProperty(name = "statements.release", havingValue = "4.1")
    Statements statements41(Ledger ledger) {
        return new LruStatements(ledger);
    }

    @Bean
    @ConditionalOnProperty(name = "statements.release", havingValue = "4.2", matchIfMissing = true)
    Statements statements42(Ledger ledger) {
        return new CaffeineStatements(ledger);
    }
}
