package ticks;

import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Sends events from threads of its own, as the documentation of SseEmitter does. */
@RestController
public class Ticks {
    private final ScheduledExecutorService senders = Executors.newScheduledThreadPool(8);

    @GetMapping("/ticks")
    public SseEmitter ticks(@RequestParam int events, @RequestParam(defaultValue = "0") long millis) {
        SseEmitter emitter = new SseEmitter();
        senders.execute(() -> send(emitter, 0, events, millis));
        return emitter;
    }

    private void send(SseEmitter emitter, int first, int events, long millis) {
        try {
            int next = first;
            do {
                emitter.send(Tick.at(next));
                next++;
            } while (millis == 0 && next < events);
            int following = next;
            if (following < events) {
                senders.schedule(() -> send(emitter, following, events, millis), millis, TimeUnit.MILLISECONDS);
            } else {
                emitter.complete();
            }
        } catch (IOException | IllegalStateException gone) {
            emitter.completeWithError(gone);
        }
    }
}
