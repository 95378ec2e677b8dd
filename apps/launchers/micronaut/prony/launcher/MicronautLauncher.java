package prony.launcher;

import io.micronaut.core.version.VersionUtils;
import io.micronaut.runtime.Micronaut;

/** Runs the application in Micronaut, which takes its settings from system properties: `micronaut.server.port` and others. */
public final class MicronautLauncher {
    public static void main(String[] arguments) {
        System.err.println("prony: runs Micronaut " + VersionUtils.getMicronautVersion());
        Micronaut.run(MicronautLauncher.class, arguments);
    }

    private MicronautLauncher() {}
}
