package com.example.addresses;

import java.util.TreeMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PostcodeController {
    private final TreeMap<Integer, String> places = new TreeMap<>();

    PostcodeController() {
        for (int postcode = 1067; postcode < 99999; postcode += 12) {
            places.put(postcode, "District " + postcode / 100);
        }
    }

    @GetMapping("/postcodes/{postcode}")
    Place place(@PathVariable int postcode) {
        return new Place(postcode, places.floorEntry(postcode).getValue());
    }

    record Place(int postcode, String place) {}
}
