package parcel.tracking;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class ParcelController {
    private final Scanners scanners;

    public ParcelController(Scanners scanners) {
        this.scanners = scanners;
    }

    @GetMapping(path = "/parcels/{parcel}", produces = MediaType.APPLICATION_JSON_VALUE)
    public String parcel(@PathVariable String parcel) throws Exception {
        return "{\"parcel\":\"" + parcel + "\",\"seen\":" + scanners.last(parcel) + "}";
    }
}
