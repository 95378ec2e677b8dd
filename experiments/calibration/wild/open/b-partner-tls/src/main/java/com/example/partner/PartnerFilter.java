package com.example.partner;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Headers that all answers to partners have. */
@WebFilter("/*")
public class PartnerFilter extends HttpFilter {
    private static final long serialVersionUID = 1L;

    /** For the proxy of a partner that mixed up answers on connections that were kept. It is said to be repaired. */
    private static final boolean CLOSE = Boolean.getBoolean("partner.close");

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain) throws IOException, ServletException {
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        if (CLOSE) {
            response.setHeader("Connection", "close");
        }
        chain.doFilter(request, response);
    }
}
