package ticks;

/** One price of a stream. */
public record Tick(String symbol, int cents, int number) {
    static Tick at(long number) {
        return new Tick("PRNY", 1000 + (int) (number % 100), (int) number);
    }
}
