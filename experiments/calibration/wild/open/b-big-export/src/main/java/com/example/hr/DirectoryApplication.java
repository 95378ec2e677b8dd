package com.example.hr;

import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The staff directory. */
@SpringBootApplication
@RestController
public class DirectoryApplication {
    public record Person(int number, String name, String department, String room, String telephone, String mail) {}

    private final List<Person> staff = new ArrayList<>();

    public DirectoryApplication() {
        for (int i = 0; i < 2500; i++) {
            staff.add(new Person(10_000 + i, "Person " + Integer.toString(i * 7919, 36), "Department " + i % 40,
                    "B" + i % 9 + "." + (100 + i % 80), "+49 30 555 " + (1000 + i), "p" + (10_000 + i) + "@example.com"));
        }
    }

    public static void main(String[] arguments) {
        SpringApplication.run(DirectoryApplication.class, arguments);
    }

    /** One page of the directory. */
    @GetMapping("/staff")
    public List<Person> staff(@RequestParam(defaultValue = "0") int page, @RequestParam(defaultValue = "250") int size) {
        int begin = Math.min(page * size, staff.size());
        return staff.subList(begin, Math.min(begin + size, staff.size()));
    }
}
