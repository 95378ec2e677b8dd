package com.example.checkout;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

@RestController
class AddressController {
    record Verdict(boolean deliverable, String postcode) {}

    private final GeocoderClient geocoder;
    private final Scheduler scheduler;

    AddressController(GeocoderClient geocoder, @Value("${address.scheduler:immediate}") String scheduler) {
        this.geocoder = geocoder;
        this.scheduler = switch (scheduler) {
            case "immediate" -> Schedulers.immediate();
            case "elastic" -> Schedulers.newBoundedElastic(64, 1000, "geocoder");
            default -> throw new IllegalArgumentException("address.scheduler: " + scheduler);
        };
    }

    @GetMapping("/address/check")
    Mono<Verdict> check(@RequestParam String street, @RequestParam String town) {
        return Mono.fromCallable(() -> geocoder.locate(street, town))
                .subscribeOn(scheduler)
                .map(location -> new Verdict(location.confidence() > 0.8, location.postcode()));
    }
}
