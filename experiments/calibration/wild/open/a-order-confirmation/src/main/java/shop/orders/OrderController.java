package shop.orders;

import java.util.Map;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class OrderController {
    private final Confirmation confirmation;

    public OrderController(Confirmation confirmation) {
        this.confirmation = confirmation;
    }

    @PostMapping("/orders/{number}/confirm")
    public Map<String, String> confirm(@PathVariable int number) {
        confirmation.confirm(number % Orders.COUNT);
        return Map.of("state", "confirmed");
    }
}
