package prony.launcher;

import io.micronaut.runtime.Micronaut;

/** Runs the application in Micronaut, which takes its settings from system properties: `micronaut.server.port` and others. */
public final class MicronautLauncher {
    public static void main(String[] arguments) {
        Micronaut.run(MicronautLauncher.class, arguments);
    }

    private MicronautLauncher() {}
}
