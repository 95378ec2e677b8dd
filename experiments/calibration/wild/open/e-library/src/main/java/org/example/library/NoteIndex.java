package org.example.library;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.FSDirectory;

/** The notes in a Lucene index. */
final class NoteIndex {
    private static final long INTERVAL_MILLIS = 2000;

    private final Path folder;
    private final IndexWriter writer;
    private final boolean commitEach;
    private final ScheduledExecutorService commits = Executors.newSingleThreadScheduledExecutor();

    NoteIndex(Path folder, boolean commitEach) throws IOException {
        this.folder = folder;
        this.commitEach = commitEach;
        writer = new IndexWriter(FSDirectory.open(folder), new IndexWriterConfig(new StandardAnalyzer()));
        if (!commitEach) {
            commits.scheduleWithFixedDelay(this::commit, INTERVAL_MILLIS, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    void add(String book, String text) throws IOException {
        Document note = new Document();
        note.add(new StringField("book", book, Field.Store.YES));
        note.add(new TextField("text", text, Field.Store.YES));
        writer.addDocument(note);
        if (commitEach) {
            writer.commit();
        }
    }

    private void commit() {
        try {
            writer.commit();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void close() {
        commits.shutdown();
        try {
            writer.close();
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
