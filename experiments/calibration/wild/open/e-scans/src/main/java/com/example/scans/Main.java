package com.example.scans;

import io.javalin.Javalin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Lists the scans of patients. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Path root = Files.createTempDirectory("scans");
        Path folder = Files.createDirectories(root.resolve("4711"));
        for (int i = 1; i <= 12; i++) {
            Files.writeString(folder.resolve("scan-" + i + ".dcm"), "DICM");
        }
        Archive archive = new Archive(root, Boolean.parseBoolean(System.getenv("SCANS_CLOSE")));
        Javalin.create(config -> config.showJavalinBanner = false)
                .get("/patients/{id}/scans", context -> context.result(String.join("\n", archive.scans(context.pathParam("id")))))
                .start("127.0.0.1", port);
    }
}
