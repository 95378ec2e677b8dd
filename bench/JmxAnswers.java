import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.jmeter.control.LoopController;
import org.apache.jmeter.engine.util.CompoundVariable;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.JMeterThread;
import org.apache.jmeter.threads.JMeterVariables;
import org.apache.jmeter.threads.ThreadGroup;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.ListedHashTree;

/** Reads texts with functions, one a line, and writes what JMeter makes of each. Arguments: JMeter's home, then variables as name=value. */
public class JmxAnswers {
    /** A text is evaluated so often, to find out whether it is random. */
    static final int TIMES = 400;
    /** More different values than these are told by their characters. */
    static final int MOST_VALUES = 12;

    static String[] given;

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        String home = arguments[0];
        given = java.util.Arrays.copyOfRange(arguments, 1, arguments.length);
        JMeterUtils.setJMeterHome(home);
        JMeterUtils.loadJMeterProperties(home + "/bin/jmeter.properties");
        JMeterUtils.setLocale(java.util.Locale.ENGLISH);
        JMeterUtils.setProperty("known", "7");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null;) {
            out.println(escape(answer(unescape(line))));
        }
        System.exit(0);
    }

    static JMeterVariables fresh() {
        JMeterVariables variables = new JMeterVariables();
        for (String pair : given) {
            variables.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
        }
        return variables;
    }

    static String answer(String text) throws Exception {
        JMeterContext context = JMeterContextService.getContext();
        context.clear();
        ThreadGroup group = new ThreadGroup();
        group.setName("buyers");
        context.setThreadGroup(group);
        ListedHashTree tree = new ListedHashTree();
        tree.add(new LoopController());
        context.setThread(new JMeterThread(tree, null, null));
        context.setThreadNum(2);
        JMeterContextService.startTest();
        CompoundVariable compound = new CompoundVariable();
        try {
            compound.setParameters(text);
        } catch (Exception broken) {
            return "!";
        }
        TreeSet<String> values = new TreeSet<>();
        String first = null;
        int times = text.contains("andom") || text.contains("UUID") || text.contains("__counter") ? TIMES : 2;
        for (int time = 0; time < times; time++) {
            context.setVariables(fresh());
            SampleResult previous = new SampleResult();
            previous.setSuccessful(true);
            previous.setResponseCode("200");
            previous.setResponseMessage("OK");
            previous.setResponseData("{\"id\": 17, \"names\": [\"a\", \"b\"]}", "UTF-8");
            previous.setResponseHeaders("HTTP/1.1 200 OK\nX-Token: head7\n");
            context.setPreviousResult(previous);
            // Functions keep the variables that they saw first.
            String value;
            try {
                value = compound.execute() + changes(context, previous);
            } catch (RuntimeException thrown) {
                // JMeter stops the thread, or fails the sample.
                return "! " + thrown.getClass().getSimpleName();
            }
            first = first == null ? value : first;
            values.add(value);
        }
        if (values.size() == 1) {
            return first;
        }
        if (values.size() <= MOST_VALUES) {
            return "{" + String.join("|", values) + "}";
        }
        return shape(values);
    }

    /** Tells what a text did beside its value. */
    static String changes(JMeterContext context, SampleResult previous) {
        Map<String, Object> before = new TreeMap<>();
        for (Map.Entry<String, Object> entry : fresh().entrySet()) {
            before.put(entry.getKey(), entry.getValue());
        }
        StringBuilder told = new StringBuilder();
        TreeMap<String, Object> now = new TreeMap<>();
        for (Map.Entry<String, Object> entry : context.getVariables().entrySet()) {
            now.put(entry.getKey(), entry.getValue());
        }
        for (Map.Entry<String, Object> entry : now.entrySet()) {
            boolean own = entry.getKey().startsWith("START.") || entry.getKey().startsWith("TESTSTART") || entry.getKey().startsWith("JMeterThread");
            if (!own && !entry.getValue().equals(before.get(entry.getKey()))) {
                told.append(" | ").append(entry.getKey()).append("=").append(entry.getValue());
            }
        }
        for (String name : before.keySet()) {
            if (!now.containsKey(name) && !name.startsWith("START.") && !name.startsWith("TESTSTART") && !name.startsWith("JMeterThread")) {
                told.append(" | no ").append(name);
            }
        }
        if (!previous.isSuccessful()) {
            told.append(" | failed");
        }
        String property = JMeterUtils.getPropDefault("new", "");
        if (!property.isEmpty()) {
            told.append(" | property new=").append(property);
            JMeterUtils.getJMeterProperties().remove("new");
        }
        return told.toString();
    }

    /** Tells the kinds of characters and the lengths of random texts. */
    static String shape(TreeSet<String> values) {
        TreeSet<String> kinds = new TreeSet<>();
        int least = Integer.MAX_VALUE, most = 0;
        for (String value : values) {
            least = Math.min(least, value.length());
            most = Math.max(most, value.length());
            for (char c : value.toCharArray()) {
                boolean digit = c >= '0' && c <= '9', lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
                kinds.add(digit ? "0-9" : lower ? "a-z" : upper ? "A-Z" : String.valueOf(c));
            }
        }
        return "~[" + String.join("", kinds) + "]{" + least + (most > least ? "," + most : "") + "}";
    }

    static String escape(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r");
    }

    static String unescape(String text) {
        StringBuilder found = new StringBuilder();
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '\\' && at + 1 < text.length()) {
                char next = text.charAt(++at);
                c = next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next;
            }
            found.append(c);
        }
        return found.toString();
    }
}
