package ticks;

import java.time.Duration;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

@RestController
public class Ticks {
    @GetMapping(path = "/ticks", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    public Flux<Tick> ticks(@RequestParam int events, @RequestParam(defaultValue = "0") long millis) {
        Flux<Long> numbers = millis == 0
                ? Flux.range(0, events).map(Integer::longValue)
                : Flux.interval(Duration.ZERO, Duration.ofMillis(millis)).take(events);
        return numbers.map(Tick::at);
    }
}
