package eu.customs;

import java.io.StringReader;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.xml.sax.SAXException;

/** The schema of declarations, as the authority publishes it. */
@Component
class SchemaSource {
    private static final int ANNEXES = 120;

    private final String text = text();
    private final boolean keep;
    private volatile Schema kept;

    SchemaSource(@Value("${declarations.keep-schema}") boolean keep) {
        this.keep = keep;
    }

    Schema schema() throws SAXException {
        if (!keep) {
            return compile();
        }
        Schema schema = kept;
        if (schema == null) {
            schema = compile();
            kept = schema;
        }
        return schema;
    }

    private Schema compile() throws SAXException {
        return SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI).newSchema(new StreamSource(new StringReader(text)));
    }

    private static String text() {
        StringBuilder xsd = new StringBuilder("<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' elementFormDefault='qualified'>");
        StringBuilder annexes = new StringBuilder();
        for (int i = 1; i <= ANNEXES; i++) {
            xsd.append("<xs:complexType name='Annex").append(i).append("'><xs:sequence>")
                    .append("<xs:element name='document' minOccurs='0' maxOccurs='99'><xs:simpleType><xs:restriction base='xs:string'>")
                    .append("<xs:pattern value='[A-Z]{2}[0-9]{").append(i % 8 + 1).append("}(-[0-9]{1,4})?'/></xs:restriction></xs:simpleType>")
                    .append("</xs:element><xs:element name='issued' type='xs:date' minOccurs='0'/></xs:sequence>")
                    .append("<xs:attribute name='office' type='xs:token'/></xs:complexType>");
            annexes.append("<xs:element name='annex").append(i).append("' type='Annex").append(i).append("' minOccurs='0'/>");
        }
        return xsd.append("<xs:element name='declaration'><xs:complexType><xs:sequence>")
                .append("<xs:element name='goods'><xs:simpleType><xs:restriction base='xs:string'><xs:pattern value='[0-9]{8}'/>")
                .append("</xs:restriction></xs:simpleType></xs:element><xs:element name='value' type='xs:decimal'/>")
                .append(annexes).append("</xs:sequence></xs:complexType></xs:element></xs:schema>").toString();
    }
}
