package com.example.rules.engine;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** Loads the newest version of a rule. A rule has a loader of its own, so that the next version can follow it. */
final class RuleLoader extends ClassLoader {
    private static final String RULES = "com.example.rules.tariff.";

    private final HttpClient client;
    private final String repository;

    RuleLoader(HttpClient client, String repository) {
        super(RuleLoader.class.getClassLoader());
        this.client = client;
        this.repository = repository;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(RULES)) {
            return super.loadClass(name, resolve);
        }
        try {
            byte[] bytes = fetch(name);
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private byte[] fetch(String name) throws IOException {
        try {
            return client.send(HttpRequest.newBuilder(URI.create(repository + "/" + name)).build(), BodyHandlers.ofByteArray()).body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
