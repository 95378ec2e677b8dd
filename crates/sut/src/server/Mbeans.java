import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import com.sun.tools.attach.VirtualMachine;
import java.lang.management.ManagementFactory;
import java.util.List;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Reads the settings in effect from a running JVM: `java Mbeans.java PID PORT` prints one `name=value` per line. Further arguments, three
 * each, are a name, a pattern of objects and an attribute that shows the value.
 */
class Mbeans {
    public static void main(String[] args) throws Exception {
        VirtualMachine machine = VirtualMachine.attach(args[0]);
        String address = machine.startLocalManagementAgent();
        machine.detach();
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            jvm(server);
            tomcat(server, args[1]);
            jetty(server);
            undertow(server, args[1]);
            for (int at = 2; at + 2 < args.length; at += 3) {
                for (ObjectName name : named(server, args[at + 1])) {
                    print(server, name, args[at + 2], args[at]);
                }
            }
        }
    }

    static void jvm(MBeanServerConnection server) throws Exception {
        System.out.println("jdk=" + ManagementFactory.newPlatformMXBeanProxy(
            server, ManagementFactory.RUNTIME_MXBEAN_NAME, java.lang.management.RuntimeMXBean.class)
            .getSystemProperties().get("java.version"));
        HotSpotDiagnosticMXBean flags = ManagementFactory.newPlatformMXBeanProxy(
            server, "com.sun.management:type=HotSpotDiagnostic", HotSpotDiagnosticMXBean.class);
        System.out.println("heap=" + flags.getVMOption("MaxHeapSize").getValue());
        choices(server, flags);
        for (String gc : List.of("Serial", "Parallel", "G1", "Z", "Shenandoah", "ConcMarkSweep", "Epsilon")) {
            try {
                VMOption use = flags.getVMOption("Use" + gc + "GC");
                if (use.getValue().equals("true")) {
                    System.out.println("gc=" + gc);
                    System.out.println("ownCollector=" + isChosen(use));
                }
            } catch (IllegalArgumentException thisJvmHasNoSuchCollector) {
                continue;
            }
        }
    }

    /** Prints what the JVM has chosen itself by what it sees of the machine or of its container. */
    static void choices(MBeanServerConnection server, HotSpotDiagnosticMXBean flags) throws Exception {
        boolean chosen = isChosen(flags.getVMOption("MaxHeapSize"));
        for (String share : List.of("MaxRAMPercentage", "MaxRAMFraction")) {
            try {
                chosen &= isChosen(flags.getVMOption(share));
            } catch (IllegalArgumentException thisJvmHasNoSuchFlag) {
                continue;
            }
        }
        System.out.println("ownHeap=" + chosen);
        ObjectName system = new ObjectName(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME);
        print(server, system, "TotalPhysicalMemorySize", "memorySeen");
        print(server, system, "AvailableProcessors", "processorsSeen");
        for (String threads : List.of("ParallelGCThreads", "CICompilerCount")) {
            try {
                System.out.println(threads + "=" + flags.getVMOption(threads).getValue());
            } catch (IllegalArgumentException thisJvmHasNoSuchFlag) {
                continue;
            }
        }
    }

    /** Whether nobody has set a flag. */
    static boolean isChosen(VMOption flag) {
        return flag.getOrigin() == VMOption.Origin.DEFAULT || flag.getOrigin() == VMOption.Origin.ERGONOMIC;
    }

    static void tomcat(MBeanServerConnection server, String port) throws Exception {
        for (ObjectName name : server.queryNames(new ObjectName("*:type=ThreadPool,*"), null)) {
            String connector = name.getKeyProperty("name");
            if (name.getKeyProperty("subType") != null || connector == null || !connector.endsWith("-" + port + "\"")) {
                continue;
            }
            System.out.println("protocolHandler=" + connector.substring(1, connector.length() - port.length() - 2));
            // An executor of virtual threads does not know how many are busy; then maxThreads has no effect.
            if ("-1".equals(String.valueOf(server.getAttribute(name, "currentThreadsBusy")))) {
                System.out.println("virtualThreads=unlimited");
            } else {
                print(server, name, "maxThreads", "maxThreads");
            }
            print(server, name, "maxConnections", "maxConnections");
        }
    }

    static void jetty(MBeanServerConnection server) throws Exception {
        boolean runs = named(server, "org.eclipse.jetty.server:type=serverconnector,*").iterator().hasNext();
        boolean limited = false;
        for (ObjectName name : named(server, "org.eclipse.jetty.server:type=networkconnectionlimit,*")) {
            limited = true;
            print(server, name, "maxNetworkConnectionCount", "maxConnections");
        }
        for (ObjectName name : named(server, "org.eclipse.jetty.server:type=connectionlimit,*")) {
            limited = true; // Jetty before 12.1 called it so, and Spring Boot still does.
            print(server, name, "maxConnections", "maxConnections");
        }
        if (runs && !limited) {
            System.out.println("maxConnections=unlimited");
        }
        boolean virtual = false;
        for (ObjectName name : named(server, "org.eclipse.jetty.util.thread:type=virtualthreadpool,*")) {
            virtual = true;
            int tasks = virtualTasks(server, name);
            System.out.println("virtualThreads=" + (tasks > 0 ? tasks : "unlimited"));
        }
        if (!virtual) {
            for (ObjectName name : named(server, "org.eclipse.jetty.util.thread:type=queuedthreadpool,*")) {
                print(server, name, "maxThreads", "maxThreads");
            }
        }
    }

    static int virtualTasks(MBeanServerConnection server, ObjectName name) throws Exception {
        try {
            return (Integer) server.getAttribute(name, "maxConcurrentTasks");
        } catch (AttributeNotFoundException asItWasCalledIn12_1_5) {
            return (Integer) server.getAttribute(name, "maxThreads");
        }
    }

    static void undertow(MBeanServerConnection server, String port) throws Exception {
        for (ObjectName name : named(server, "org.xnio:type=Xnio,*")) {
            String address = name.getKeyProperty("address");
            if (address == null) {
                print(server, name, "MaxWorkerPoolSize", "maxThreads");
            } else if (address.contains(":" + port)) {
                int most = ((Number) server.getAttribute(name, "ConnectionLimitHighWater")).intValue();
                System.out.println("maxConnections=" + (most > 0 && most < Integer.MAX_VALUE ? most : "unlimited"));
            }
        }
    }

    static Iterable<ObjectName> named(MBeanServerConnection server, String pattern) throws Exception {
        return server.queryNames(new ObjectName(pattern), null);
    }

    static void print(MBeanServerConnection server, ObjectName name, String attribute, String as) throws Exception {
        try {
            System.out.println(as + "=" + server.getAttribute(name, attribute));
        } catch (AttributeNotFoundException thisVersionDoesNotSay) {
            return;
        }
    }
}
