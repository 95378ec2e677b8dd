package com.example.orders;

import java.time.LocalDate;

/** One line of the order book. */
record Order(long id, String customer, String article, int quantity, long cents, LocalDate day) {}
