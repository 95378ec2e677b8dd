package billing;

import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class InvoiceController {
    private final InvoiceNumbers numbers;

    public InvoiceController(InvoiceNumbers numbers) {
        this.numbers = numbers;
    }

    @PostMapping("/invoices")
    public ResponseEntity<Map<String, String>> create() {
        long number = numbers.next();
        return ResponseEntity.ok().header("Location", String.format("/invoices/2026-%08d", number)).body(Map.of("state", "created"));
    }
}
