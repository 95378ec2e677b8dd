package fi.kauppaketju.loyalty;

import java.util.Map;
import java.util.stream.IntStream;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PointsController {
    private final Account[] accounts = IntStream.range(0, 50_000).mapToObj(i -> new Account()).toArray(Account[]::new);
    private final Partner partner;
    private final Checkpoint checkpoint;

    PointsController(Partner partner, Checkpoint checkpoint) {
        this.partner = partner;
        this.checkpoint = checkpoint;
    }

    @PostMapping("/customers/{number}/points")
    Map<String, Object> book(@PathVariable long number) {
        boolean booked = accounts[(int) (number % accounts.length)].book(10, partner);
        checkpoint.booked();
        return Map.of("booked", booked);
    }
}
