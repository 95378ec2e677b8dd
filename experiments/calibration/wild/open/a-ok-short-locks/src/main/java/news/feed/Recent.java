package news.feed;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Which articles were read last; the map is small and its lock is held for a moment. */
@Component
public class Recent {
    private static final int MOST = 200;

    private final Map<Integer, Long> times = new LinkedHashMap<>(256, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Long> eldest) {
            return size() > MOST;
        }
    };

    public synchronized void read(int article) {
        times.put(article, System.nanoTime());
    }
}
