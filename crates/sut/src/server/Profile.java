import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.VirtualMachine;
import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * Gives orders to async-profiler within a JVM: {@code java Profile.java PID PORT FOLDER}. Its first line on stdin is the path of the
 * profiler's library; each further line is an order, which the profiler takes as its options. It answers each with {@code done}, or
 * with {@code failed} and the reason.
 */
class Profile {
    public static void main(String[] args) throws Exception {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        String library = orders.readLine();
        VirtualMachine machine = VirtualMachine.attach(args[0]);
        try {
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                System.out.println(answer(machine, library, order));
            }
        } finally {
            machine.detach();
        }
    }

    static String answer(VirtualMachine machine, String library, String order) throws Exception {
        try {
            machine.loadAgentPath(library, order);
            return "done";
        } catch (AgentInitializationException refused) {
            return "failed the profiler returned " + refused.returnValue();
        } catch (Exception refused) {
            return "failed " + refused.toString().replace('\n', ' ');
        }
    }
}
