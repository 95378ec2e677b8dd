package com.example.formulas;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** Processes of the typesetter that are started once; each reads a formula in a line and writes the picture in a line. */
final class Typesetters {
    private record Child(BufferedWriter in, BufferedReader out) {}

    private final BlockingQueue<Child> idle;

    Typesetters(String folder, int count) throws IOException {
        idle = new ArrayBlockingQueue<>(count);
        for (int i = 0; i < count; i++) {
            Process process = new ProcessBuilder("python3", folder + "/typeset.py").redirectError(ProcessBuilder.Redirect.INHERIT).start();
            idle.add(new Child(
                    new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8)),
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))));
        }
    }

    String typeset(String tex) throws IOException, InterruptedException {
        Child child = idle.poll(5, TimeUnit.SECONDS);
        if (child == null) {
            throw new IOException("no typesetter is free");
        }
        try {
            child.in.write(tex.replace('\n', ' '));
            child.in.newLine();
            child.in.flush();
            return child.out.readLine();
        } finally {
            idle.add(child);
        }
    }
}
