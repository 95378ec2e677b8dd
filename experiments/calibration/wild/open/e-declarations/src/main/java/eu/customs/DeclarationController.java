package eu.customs;

import java.io.IOException;
import java.io.StringReader;
import javax.xml.transform.stream.StreamSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.xml.sax.SAXException;

@RestController
class DeclarationController {
    private final SchemaSource source;

    DeclarationController(SchemaSource source) {
        this.source = source;
    }

    @GetMapping("/declarations/check")
    String check(@RequestParam String goods, @RequestParam String value) throws IOException {
        String declaration = "<declaration><goods>" + goods + "</goods><value>" + value
                + "</value><annex3 office='DE004'><document>DE0001-17</document><issued>2026-03-02</issued></annex3></declaration>";
        try {
            source.schema().newValidator().validate(new StreamSource(new StringReader(declaration)));
            return "valid";
        } catch (SAXException e) {
            return "not valid: " + e.getMessage();
        }
    }
}
