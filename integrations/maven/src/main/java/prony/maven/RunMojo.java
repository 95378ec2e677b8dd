package prony.maven;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;

/**
 * Runs an experiment file on the WAR or jar that the project has built, and fails the build by its gate. The file names the
 * archive as {@code target/prony/app.war} or {@code target/prony/app.jar}, whatever its version and classifier are.
 */
@Mojo(name = "run", defaultPhase = LifecyclePhase.VERIFY)
public final class RunMojo extends AbstractMojo {
    /** What a run writes for a build server. The answer of an earlier build must not be taken for that of this one. */
    private static final List<String> ANSWERS = List.of("junit.xml", "comment.md", "report.json", "report.md");

    /** The experiment file. */
    @Parameter(property = "prony.file", defaultValue = "${project.basedir}/perf/gate.toml")
    private File file;

    /** The program, by its path or by a name that is looked up in the PATH. */
    @Parameter(property = "prony.program", defaultValue = "prony")
    private String program;

    /** The folder of the report. */
    @Parameter(property = "prony.out", defaultValue = "${project.build.directory}/prony-results")
    private File out;

    /** How long the run may take, such as 20m. By default the file decides. */
    @Parameter(property = "prony.budget")
    private String budget;

    /** Whether the build fails if the run cannot decide. */
    @Parameter(property = "prony.failInconclusive", defaultValue = "true")
    private boolean failInconclusive;

    /** Further arguments of `prony run`. */
    @Parameter(property = "prony.arguments")
    private List<String> arguments;

    /** The classifier of the archive that runs, if the project attaches several. By default its main archive runs. */
    @Parameter(property = "prony.classifier")
    private String classifier;

    /** Whether nothing is measured. */
    @Parameter(property = "prony.skip", defaultValue = "false")
    private boolean skip;

    @Parameter(defaultValue = "${project}", readonly = true, required = true)
    private MavenProject project;

    @Override
    public void execute() throws MojoExecutionException, MojoFailureException {
        if (skip) {
            getLog().info("prony does not run, because prony.skip is set");
            return;
        }
        if (!file.isFile()) {
            throw new MojoExecutionException("there is no experiment file " + file
                    + "\nhint: write one with `prony init`, or name it: -Dprony.file=perf/gate.toml");
        }
        try {
            provideArchive();
            for (String name : ANSWERS) {
                Files.deleteIfExists(out.toPath().resolve(name));
            }
        } catch (IOException error) {
            throw new MojoExecutionException("the files of the run could not be prepared: " + error, error);
        }
        judge(run(command()));
    }

    /** Copies the project's archive to where experiment files look for it. A project without any, such as a parent, needs none. */
    private void provideArchive() throws IOException, MojoExecutionException {
        if (project.getPackaging().equals("pom") && classifier == null) {
            return;
        }
        File archive = archive();
        if (archive == null || !archive.isFile()) {
            throw new MojoExecutionException("the project has built no archive"
                    + (classifier == null ? "" : " with the classifier " + classifier)
                    + "\nhint: run the goal in the same build as `package`, such as `mvn verify`");
        }
        String name = archive.getName();
        Path copy = Path.of(project.getBuild().getDirectory(), "prony", "app" + name.substring(name.lastIndexOf('.')));
        Files.createDirectories(copy.getParent());
        Files.copy(archive.toPath(), copy, StandardCopyOption.REPLACE_EXISTING);
        getLog().info(name + " is measured as " + project.getBasedir().toPath().relativize(copy));
    }

    private File archive() {
        if (classifier == null) {
            return project.getArtifact().getFile();
        }
        return project.getAttachedArtifacts().stream()
                .filter(attached -> classifier.equals(attached.getClassifier()))
                .findFirst()
                .map(Artifact::getFile)
                .orElse(null);
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(program, "run", file.getPath(), "--out", out.getPath()));
        if (failInconclusive) {
            command.add("--fail-inconclusive");
        }
        if (budget != null) {
            command.addAll(List.of("--budget", budget));
        }
        if (arguments != null) {
            command.addAll(arguments);
        }
        return command;
    }

    /** Runs the program to its end and returns its exit code. */
    private int run(List<String> command) throws MojoExecutionException {
        getLog().info(String.join(" ", command));
        Process process;
        try {
            process = new ProcessBuilder(command).directory(project.getBasedir()).redirectErrorStream(true).start();
        } catch (IOException error) {
            throw new MojoExecutionException("`" + program + "` could not be started: " + error.getMessage()
                    + "\nhint: install prony, or name it: -Dprony.program=/path/to/prony", error);
        }
        // If Maven is ended, prony stops its servers first.
        Thread end = new Thread(() -> stop(process));
        Runtime.getRuntime().addShutdownHook(end);
        try {
            process.getOutputStream().close();
            // Not by the logger: a workflow command of GitHub has to stand at the beginning of its line.
            process.getInputStream().transferTo(System.out);
            return process.waitFor();
        } catch (IOException error) {
            throw new MojoExecutionException("the output of prony could not be read: " + error, error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new MojoExecutionException("the run was interrupted", error);
        } finally {
            stop(process);
            remove(end);
        }
    }

    private static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // Maven is being ended, so the hook runs.
        }
    }

    /** Asks the process to end, and waits until it has. */
    private static void stop(Process process) {
        process.destroy();
        process.onExit().join();
    }

    /** Tells what an exit code means; only 0 lets the build pass. */
    private void judge(int code) throws MojoExecutionException, MojoFailureException {
        String report = ", see " + out;
        switch (code) {
            case 0 -> getLog().info("prony: every requirement passes" + (failInconclusive ? "" : " or is inconclusive"));
            case 4 -> throw new MojoFailureException("prony: an arm missed a bound" + report);
            case 5 -> throw new MojoFailureException("prony: an arm is worse than the baseline by more than is allowed" + report);
            case 6 -> throw new MojoFailureException("prony: the run could not decide (exit 6)" + report
                    + "\nhint: allow more time, use a quieter machine, or set prony.failInconclusive to false");
            case 7 -> throw new MojoFailureException("prony: the run is invalid (exit 7)" + report
                    + "\nhint: run it again on a quieter machine");
            case 130 -> throw new MojoExecutionException("prony: the run was interrupted");
            default -> throw new MojoExecutionException("prony could not run (exit " + code + "), see its message above");
        }
    }
}
