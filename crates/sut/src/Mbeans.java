import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.tools.attach.VirtualMachine;
import java.lang.management.ManagementFactory;
import java.util.List;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Asks a running JVM for the settings that took effect: `java Mbeans.java PID PORT`, one `name=value` a line. */
class Mbeans {
    public static void main(String[] args) throws Exception {
        VirtualMachine machine = VirtualMachine.attach(args[0]);
        String address = machine.startLocalManagementAgent();
        machine.detach();
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            jvm(server);
            pools(server, args[1]);
        }
    }

    static void jvm(MBeanServerConnection server) throws Exception {
        System.out.println("jdk=" + ManagementFactory.newPlatformMXBeanProxy(
            server, ManagementFactory.RUNTIME_MXBEAN_NAME, java.lang.management.RuntimeMXBean.class)
            .getSystemProperties().get("java.version"));
        HotSpotDiagnosticMXBean flags = ManagementFactory.newPlatformMXBeanProxy(
            server, "com.sun.management:type=HotSpotDiagnostic", HotSpotDiagnosticMXBean.class);
        System.out.println("heap=" + flags.getVMOption("MaxHeapSize").getValue());
        for (String gc : List.of("Serial", "Parallel", "G1", "Z", "Shenandoah", "ConcMarkSweep", "Epsilon")) {
            try {
                if (flags.getVMOption("Use" + gc + "GC").getValue().equals("true")) {
                    System.out.println("gc=" + gc);
                }
            } catch (IllegalArgumentException thisJvmHasNoSuchCollector) {
                continue;
            }
        }
    }

    static void pools(MBeanServerConnection server, String port) throws Exception {
        for (ObjectName name : server.queryNames(new ObjectName("*:type=ThreadPool,*"), null)) {
            String connector = name.getKeyProperty("name");
            if (name.getKeyProperty("subType") != null || connector == null || !connector.endsWith("-" + port + "\"")) {
                continue;
            }
            for (String attribute : List.of("maxThreads", "maxConnections", "acceptCount")) {
                try {
                    System.out.println(attribute + "=" + server.getAttribute(name, attribute));
                } catch (AttributeNotFoundException thisVersionDoesNotSay) {
                    continue;
                }
            }
        }
    }
}
