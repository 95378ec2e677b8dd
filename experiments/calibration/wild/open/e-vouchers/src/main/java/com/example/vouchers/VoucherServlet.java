package com.example.vouchers;

import java.io.IOException;
import javax.servlet.ServletException;
import javax.servlet.annotation.WebServlet;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** What a voucher is worth. */
@WebServlet(urlPatterns = "/voucher", loadOnStartup = 1)
public class VoucherServlet extends HttpServlet {
    private transient Store store;

    @Override
    public void init() throws ServletException {
        try {
            store = new Store();
        } catch (IOException e) {
            throw new ServletException(e);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String[] voucher = store.look(request.getParameter("code")).split(";");
        response.setContentType("application/json");
        response.getWriter().printf("{\"state\":\"%s\",\"amount\":%s,\"currency\":\"%s\"}", voucher[0], voucher[1], voucher[2]);
    }

    @Override
    public void destroy() {
        store.stop();
    }
}
