package org.example.library;

import io.javalin.Javalin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A library's index of notes that readers leave on books. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Path folder = Files.createTempDirectory("notes");
        NoteIndex index = new NoteIndex(folder, !"interval".equals(System.getenv("NOTES_COMMIT")));
        Runtime.getRuntime().addShutdownHook(new Thread(index::close));
        Javalin.create(config -> config.showJavalinBanner = false)
                .get("/books/{book}/note", context -> {
                    index.add(context.pathParam("book"), context.queryParam("text"));
                    context.result("noted");
                })
                .start("127.0.0.1", port);
    }
}
