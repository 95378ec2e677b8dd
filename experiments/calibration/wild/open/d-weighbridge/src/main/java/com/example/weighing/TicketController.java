package com.example.weighing;

import java.io.IOException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class TicketController {
    record Ticket(int scale, int gross, int tare, int net) {}

    private final ScaleDriver driver;

    TicketController(ScaleDriver driver) {
        this.driver = driver;
    }

    @GetMapping("/tickets/{scale}")
    Ticket ticket(@PathVariable int scale) throws IOException {
        int gross = driver.weigh(scale);
        return new Ticket(scale, gross, 14_200, gross - 14_200);
    }
}
