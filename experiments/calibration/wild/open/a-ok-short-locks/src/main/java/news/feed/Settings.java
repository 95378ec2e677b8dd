package news.feed;

import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.springframework.stereotype.Component;

/** Settings that an editor can change while the service runs. */
@Component
public class Settings {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private int articles = 40;

    public int articles() {
        lock.readLock().lock();
        try {
            return articles;
        } finally {
            lock.readLock().unlock();
        }
    }

    public void articles(int count) {
        lock.writeLock().lock();
        try {
            articles = count;
        } finally {
            lock.writeLock().unlock();
        }
    }
}
