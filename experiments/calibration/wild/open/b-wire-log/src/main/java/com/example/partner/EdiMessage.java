package com.example.partner;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An order of a partner as segments: LIN (article), QTY (quantity), PRI (price in cents). */
final class EdiMessage {
    private static final Logger WIRE = LoggerFactory.getLogger("com.example.partner.wire");

    private static final String SAMPLE = sampleText();

    private final List<String> segments;

    private EdiMessage(List<String> segments) {
        this.segments = segments;
    }

    static EdiMessage sample() {
        return parse(SAMPLE);
    }

    static EdiMessage parse(String text) {
        List<String> segments = new ArrayList<>();
        for (int begin = 0, end = text.indexOf('\''); end >= 0; begin = end + 1, end = text.indexOf('\'', begin)) {
            String segment = text.substring(begin, end);
            WIRE.debug("<< {}", segment);
            segments.add(segment);
        }
        return new EdiMessage(segments);
    }

    int segments() {
        return segments.size();
    }

    long total() {
        long cents = 0;
        long quantity = 0;
        for (String segment : segments) {
            if (segment.startsWith("QTY+21:")) {
                quantity = Long.parseLong(segment.substring(7));
            } else if (segment.startsWith("PRI+AAA:")) {
                cents += quantity * Long.parseLong(segment.substring(8));
            }
        }
        return cents;
    }

    private static String sampleText() {
        StringBuilder text = new StringBuilder("UNH+1+ORDERS:D:96A:UN:EAN008'BGM+220+128576+9'");
        for (int line = 1; line <= 50; line++) {
            text.append("LIN+").append(line).append("++40063813339").append(10 + line).append(":EN'")
                    .append("QTY+21:").append(line % 7 + 1).append('\'')
                    .append("PRI+AAA:").append(95 + line * 13).append('\'');
        }
        return text.append("UNT+152+1'").toString();
    }
}
