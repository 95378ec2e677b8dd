package com.example.checkout;

record Location(double latitude, double longitude, String postcode, double confidence) {}
