package com.example.rules.tariff;

import java.util.function.IntUnaryOperator;

/** The rule that is in force for household contracts; it changes several times a day. */
public final class HouseholdRule implements IntUnaryOperator {
    @Override
    public int applyAsInt(int contract) {
        return 180_00 + contract % 97 * 25;
    }
}
