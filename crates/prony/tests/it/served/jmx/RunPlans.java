import java.io.File;
import org.apache.jmeter.JMeter;
import org.apache.jmeter.control.ReplaceableController;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.gui.tree.JMeterTreeModel;
import org.apache.jmeter.gui.tree.JMeterTreeNode;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.services.FileServer;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.SearchByClass;

/** Runs plans one after the other in one JVM, as JMeter does without its window. Arguments: home, then pairs of a plan and a port. */
public class RunPlans {
    public static void main(String[] arguments) throws Exception {
        String home = arguments[0];
        JMeterUtils.setJMeterHome(home);
        JMeterUtils.loadJMeterProperties(home + "/bin/jmeter.properties");
        JMeterUtils.initLocale();
        SaveService.loadProperties();
        for (int at = 1; at < arguments.length; at += 2) {
            File plan = new File(arguments[at]);
            JMeterUtils.setProperty("port", arguments[at + 1]);
            JMeterUtils.setProperty("given", "by the command line");
            FileServer.getFileServer().setBaseForScript(plan);
            HashTree tree = SaveService.loadTree(plan);
            JMeterTreeModel model = new JMeterTreeModel(new Object());
            JMeterTreeNode root = (JMeterTreeNode) model.getRoot();
            model.addSubTree(tree, root);
            SearchByClass<ReplaceableController> replaceable = new SearchByClass<>(ReplaceableController.class);
            tree.traverse(replaceable);
            for (ReplaceableController controller : replaceable.getSearchResults()) {
                controller.resolveReplacementSubTree(root);
            }
            StandardJMeterEngine engine = new StandardJMeterEngine();
            engine.configure(JMeter.convertSubTree(tree, true));
            engine.run();
            System.out.println("ran " + plan.getName());
        }
        System.exit(0);
    }
}
