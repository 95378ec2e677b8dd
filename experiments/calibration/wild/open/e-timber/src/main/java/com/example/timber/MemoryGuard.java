package com.example.timber;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Frees memory before it becomes scarce. */
@WebFilter("/*")
public class MemoryGuard extends HttpFilter {
    private static final double ENOUGH = 0.6;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain) throws IOException, ServletException {
        Runtime runtime = Runtime.getRuntime();
        long used = runtime.totalMemory() - runtime.freeMemory();
        if (runtime.maxMemory() - used < ENOUGH * runtime.maxMemory()) {
            System.gc();
        }
        chain.doFilter(request, response);
    }
}
