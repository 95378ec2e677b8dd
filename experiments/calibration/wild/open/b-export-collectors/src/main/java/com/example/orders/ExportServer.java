package com.example.orders;

import io.javalin.Javalin;

/** Partners ask with /export/checksum whether the export of a month has changed, and fetch it with /export if so. */
public final class ExportServer {
    private ExportServer() {}

    public static void main(String[] arguments) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        OrderBook book = OrderBook.load();
        Javalin server = Javalin.create(config -> config.showJavalinBanner = false);
        server.get("/export", context -> {
            MonthExport export = new MonthExport(book.ofMonth(month(context.queryParam("month"))));
            context.contentType("text/csv").result(export.csv());
        });
        server.get("/export/checksum", context -> {
            MonthExport export = new MonthExport(book.ofMonth(month(context.queryParam("month"))));
            byte[] csv = export.csv();
            context.contentType("application/json")
                    .result("{\"rows\":" + export.rows() + ",\"bytes\":" + csv.length + ",\"crc\":\"" + MonthExport.checksum(csv) + "\"}");
        });
        server.start(port);
    }

    private static int month(String text) {
        return text == null ? 1 : Integer.parseInt(text);
    }
}
