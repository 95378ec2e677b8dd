package com.example.accounts;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/**
 * POST /login. The answer comes after a constant time, whether the name is known or not, so that the time tells nothing
 * and nobody can try many passwords on a connection.
 */
@RestController
public class LoginController {
    private static final Duration ANSWER_AFTER = Duration.ofMillis(250);

    public record Login(String name, String password) {}

    public record Session(String name, String token) {}

    @GetMapping("/login")
    public String form() {
        return "name and password, please";
    }

    @PostMapping("/login")
    public Mono<Session> login(@RequestBody Login login) {
        return Mono.fromSupplier(() -> new Session(login.name(), token(login))).delayElement(ANSWER_AFTER);
    }

    private static String token(Login login) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(login.name().getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest.digest(login.password().getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
