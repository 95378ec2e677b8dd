package rates.api;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** The rates of all currencies. Threads in the background ask the bank again and again, so that no reader has to wait for it. */
@Component
public class Rates {
    private static final List<String> CURRENCIES = List.of("USD", "GBP", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK");

    private final Cache<String, String> rates = Caffeine.newBuilder().maximumSize(100).build();
    private final CentralBank bank;
    private final int readers;
    private final ExecutorService refresh;

    public Rates(CentralBank bank, @Value("${rates.readers}") int readers) {
        this.bank = bank;
        this.readers = readers;
        this.refresh = Executors.newFixedThreadPool(readers);
    }

    @PostConstruct
    public void start() throws IOException, InterruptedException {
        String first = bank.rate("EUR");
        CURRENCIES.forEach(currency -> rates.put(currency, first));
        for (int i = 0; i < readers; i++) {
            int begin = i;
            refresh.execute(() -> refresh(begin));
        }
    }

    private void refresh(int begin) {
        for (int i = begin; !Thread.currentThread().isInterrupted(); i++) {
            String currency = CURRENCIES.get(i % CURRENCIES.size());
            try {
                rates.put(currency, bank.rate(currency));
            } catch (IOException problem) {
                System.err.println("no rate of " + currency + ": " + problem);
            } catch (InterruptedException stopping) {
                return;
            }
        }
    }

    public String of(String currency) {
        return rates.getIfPresent(currency);
    }

    @PreDestroy
    public void stop() {
        refresh.shutdownNow();
    }
}
