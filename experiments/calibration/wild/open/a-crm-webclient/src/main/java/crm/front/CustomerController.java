package crm.front;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
public class CustomerController {
    private final CrmClient crm;

    public CustomerController(CrmClient crm) {
        this.crm = crm;
    }

    @GetMapping(path = "/customers/{number}", produces = MediaType.APPLICATION_JSON_VALUE)
    public Mono<String> customer(@PathVariable String number) {
        return crm.customer(number).map(customer -> "{\"number\":\"" + number + "\",\"customer\":" + customer + "}");
    }
}
