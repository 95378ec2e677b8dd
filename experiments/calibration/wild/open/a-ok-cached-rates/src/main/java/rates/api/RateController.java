package rates.api;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class RateController {
    private final Rates rates;

    public RateController(Rates rates) {
        this.rates = rates;
    }

    @GetMapping(path = "/rates/{currency}", produces = MediaType.APPLICATION_JSON_VALUE)
    public ResponseEntity<String> rate(@PathVariable String currency) {
        String rate = rates.of(currency);
        return rate == null ? ResponseEntity.notFound().build() : ResponseEntity.ok("{\"currency\":\"" + currency + "\",\"rate\":" + rate + "}");
    }
}
