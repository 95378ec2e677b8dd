package sales.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The report of a shop, with the sum of each article. */
final class ReportServlet extends HttpServlet {
    private final transient Sales sales;
    private final transient ObjectWriter json = new ObjectMapper().writerWithDefaultPrettyPrinter();

    ReportServlet(Sales sales) {
        this.sales = sales;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
        String shop = request.getParameter("shop");
        List<Sales.Sale> found;
        try {
            found = sales.of(shop);
        } catch (SQLException problem) {
            throw new ServletException(problem);
        }
        Map<String, Long> sums = new TreeMap<>();
        for (Sales.Sale sale : found) {
            sums.merge(sale.article(), sale.cents(), Long::sum);
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("shop", shop);
        report.put("sums", sums);
        report.put("sales", found);
        byte[] body = json.writeValueAsBytes(report);
        response.setContentType("application/json");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
