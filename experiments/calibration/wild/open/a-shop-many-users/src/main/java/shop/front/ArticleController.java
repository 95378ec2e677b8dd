package shop.front;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class ArticleController {
    record Article(int number, String title, long cents, List<String> sizes) {}

    private final Map<Integer, Article> articles = new ConcurrentHashMap<>();

    public ArticleController() {
        for (int number = 0; number < 500; number++) {
            articles.put(number, new Article(number, "Rain jacket " + number, 8990, List.of("S", "M", "L", "XL")));
        }
    }

    @GetMapping("/articles/{number}")
    public Article article(@PathVariable int number) {
        return articles.get(number);
    }
}
