;; Agents' everyday work: taking text apart, classifying, rewriting, answering.

(let [mail "From: Ada <ada@example.com>\nSubject: Order 102\n\nPlease cancel it."
      [head body] (split mail "\n\n")
      headers (into {} (map #(split % ": ") (split-lines head)))]
  {:from (extract "<(.+)>" (get headers "From"))
   :order (extract-int "(\\d+)" (get headers "Subject"))
   :cancel? (includes? (downcase body) "cancel")})
;=> {:cancel? true :from "ada@example.com" :order 102}
(let [rules [[#"(?i)refund|money back" :refund]
             [#"(?i)where|when|track" :tracking]
             [#"(?i)cancel" :cancel]]
      classify (fn [text] (or (second (find (fn [[p _]] (re-find p text)) rules)) :other))]
  (map classify ["I want my money back" "Where is it?" "Cancel please" "Hi"]))
;=> [:refund :tracking :cancel :other]
(let [text "Call +49 731 1234 or +43 1 555-66"
      phones (re-seq #"\+\d[\d -]+\d" text)]
  (map #(replace % #"[ -]" "") phones))
;=> ["+497311234" "+43155566"]
(let [template "Dear {name}, order {id} is {status}."
      fill (fn [t m] (reduce (fn [t [k v]] (replace t (str "{" (subs (str k) 1) "}") (str v))) t m))]
  (fill template {:name "Bo" :id 102 :status "open"}))
;=> "Dear Bo, order 102 is open."
(let [template "Hi {name}, {missing}!"
      holes (map second (re-seq #"\{(\w+)\}" template))]
  (remove #(contains? {"name" "Bo"} %) holes))
;=> ["missing"]
(let [words (re-seq #"[a-z']+" (downcase "The cat sat. The cat's mat! A mat?"))
      stop #{"the" "a"}]
  (->> words
       (remove stop)
       frequencies
       (sort-by (juxt (fn [[_ n]] (- n)) first))
       (take 2)))
;=> [["mat" 2] ["cat" 1]]
(defn wrap [text width]
  (reduce (fn [lines word]
            (let [line (last lines)
                  longer (str line " " word)]
              (if (and line (<= (count longer) width))
                (conj (butlast lines) longer)
                (conj lines word))))
          []
          (split text " ")))
(wrap "to be or not to be that" 8)
;=> ["to be or" "not to" "be that"]
(defn slug [title]
  (-> title
      downcase
      (replace #"[^a-z0-9]+" "-")
      (replace #"^-|-$" "")))
(map slug ["Hello, World!" "  A  B  " "C++ & Rust"])
;=> ["hello-world" "a-b" "c-rust"]
(defn camel->kebab [s]
  (downcase (replace s #"([a-z])([A-Z])" "\\1-\\2")))
(map camel->kebab ["orderId" "HTTPServer" "plain"])
;=> ["order-id" "httpserver" "plain"]
(defn snake->camel [s]
  (let [[head & more] (split s "_")]
    (apply str head (map #(str (upcase (subs % 0 1)) (subs % 1)) more))))
(map snake->camel ["order_id" "plain" "a_b_c"])
;=> ["orderId" "plain" "aBC"]
(let [md "# Title\ntext\n## Part one\n- a\n## Part two"
      heads (for [[_ marks title] (re-seq #"(?m)^(#+) (.+)$" md)] [(count marks) title])]
  heads)
;=> [[1 "Title"] [2 "Part one"] [2 "Part two"]]
(let [md "see [docs](https://a.example/x) and [home](/)"]
  (map (fn [[_ text href]] {:text text :href href}) (re-seq #"\[([^\]]+)\]\(([^)]+)\)" md)))
;=> [{:href "https://a.example/x" :text "docs"} {:href "/" :text "home"}]
(let [html "<li>One</li><li class='x'>Two</li>"]
  (map second (re-seq #"<li[^>]*>([^<]*)</li>" html)))
;=> ["One" "Two"]
(let [row "| pen | 4 |"
      cells (map trim (split row "|"))]
  (remove empty? cells))
;=> ["pen" "4"]
(let [table [["sku" "n"] ["pen" 4] ["desk" 0]]
      width (apply max (map #(count (first %)) table))
      pad (fn [s] (str s (apply str (map (fn [_] " ") (range (- width (count s)))))))]
  (map (fn [[a b]] (str (pad a) " | " b)) table))
;=> ["sku  | n" "pen  | 4" "desk | 0"]
(doseq [[sku n] (sort-by key data/stock)]
  (println (str sku ":") n))
;>> desk: 0
;>> lamp: 7
;>> pen: 4
;=> nil
(let [ini "[db]\nhost=x\nport=5\n[web]\nport=80"]
  (:out (reduce (fn [{:keys [section out]} line]
                  (if-let [s (extract "^\\[(\\w+)\\]$" line)]
                    {:section s :out out}
                    {:section section :out (assoc-in out (concat [section] (take 1 (split line "="))) (second (split line "=")))}))
                {:section nil :out {}}
                (split-lines ini))))
;=> {"db" {"host" "x" "port" "5"} "web" {"port" "80"}}
(let [quoted (fn [s] (map second (re-seq #"'([^']*)'" s)))]
  (quoted "say 'yes' or 'no', not ''"))
;=> ["yes" "no" ""]
(let [sentences (fn [t] (map trim (re-seq #"[^.!?]+[.!?]" t)))]
  (sentences "It works. Does it? Yes!"))
;=> ["It works." "Does it?" "Yes!"]
(let [caesar (fn [s n]
               (let [abc "abcdefghijklmnopqrstuvwxyz"]
                 (apply str (map (fn [c] (if-let [i (index-of abc c)]
                                           (nth abc (mod (+ i n) 26))
                                           c))
                                 s))))]
  [(caesar "xyz!" 3) (caesar (caesar "secret" 5) -5)])
;=> ["abc!" "secret"]
(let [anagram? (fn [a b] (= (sort a) (sort b)))]
  [(anagram? "listen" "silent") (anagram? "ab" "abb")])
;=> [true false]
(let [distance (fn [a b] (count (filter (fn [[x y]] (not= x y)) (map vector a b))))]
  (distance "karolin" "kathrin"))
;=> 3
(let [rle (fn [s]
            (reduce (fn [acc c]
                      (let [[l n] (last acc)]
                        (if (= l c) (conj (butlast acc) [c (inc n)]) (conj acc [c 1]))))
                    [] s))]
  (apply str (mapcat (fn [[c n]] [n c]) (rle "aaabcc"))))
;=> "3a1b2c"
(let [common (fn [a b] (count (take-while (fn [[x y]] (= x y)) (map vector a b))))
      words ["interview" "internet" "interval"]]
  (subs (first words) 0 (apply min (map #(common (first words) %) words))))
;=> "inter"
(let [roman {"I" 1 "V" 5 "X" 10 "L" 50 "C" 100}
      value (fn [s]
              (let [ns (map roman s)]
                (reduce + (map (fn [a b] (if (< a b) (- a) a)) ns (concat (rest ns) [0])))))]
  (map value ["XIV" "XLII" "III" "XC"]))
;=> [14 42 3 90]
(let [luhn? (fn [s]
              (let [ds (map parse-long (reverse s))
                    twice (map-indexed (fn [i d] (if (odd? i) (let [t (* 2 d)] (if (> t 9) (- t 9) t)) d)) ds)]
                (zero? (mod (reduce + twice) 10))))]
  (map luhn? ["79927398713" "79927398710"]))
;=> [true false]
(let [hex (fn [n] (loop [n n out ""] (if (zero? n) out (recur (quot n 16) (str (nth "0123456789abcdef" (mod n 16)) out)))))]
  (map hex [255 4096 48879]))
;=> ["ff" "1000" "beef"]
(let [parse-pairs (fn [s] (into {} (for [p (split s ";") :let [[k v] (split p ":")] :when v] [(trim k) (trim v)])))]
  (parse-pairs "color: red; size : 5; bare"))
;=> {"color" "red" "size" "5"}
(let [answer "The total is 75 EUR for orders 102 and 103."
      ids (map parse-long (re-seq #"\b1\d\d\b" answer))
      total (extract-int "total is (\\d+)" answer)
      truth (sum-by :total (filter (fn [o] (contains? (set ids) (:id o))) data/orders))]
  {:claims total :truth truth :right (= total truth)})
;=> {:claims 75 :right true :truth 75}
(let [csv-line "1,\"Lamp, tall\",45"
      cells (map (fn [[whole q]] (if (starts-with? whole "\"") q whole)) (re-seq #"\"([^\"]*)\"|[^,]+" csv-line))]
  cells)
;=> ["1" "Lamp, tall" "45"]
(let [csv-line "1,\"Lamp, tall\",45"]
  (map #(replace % "\"" "") (map first (re-seq #"(\"[^\"]*\"|[^,]+)" csv-line))))
;=> ["1" "Lamp, tall" "45"]
(let [names ["Ada Lovelace" "Bo" "Cem van Dyk"]
      initials (fn [n] (apply str (map first (split n " "))))]
  (map (fn [n] [(last (split n " ")) (initials n)]) names))
;=> [["Lovelace" "AL"] ["Bo" "B"] ["Dyk" "CvD"]]
(let [plural (fn [n word] (str n " " word (if (= n 1) "" "s")))]
  (map #(plural % "order") [0 1 2]))
;=> ["0 orders" "1 order" "2 orders"]
(let [listed (fn [xs] (cond (empty? xs) "none"
                            (= 1 (count xs)) (first xs)
                            :else (str (join ", " (butlast xs)) " and " (last xs))))]
  (map listed [[] ["a"] ["a" "b"] ["a" "b" "c"]]))
;=> ["none" "a" "a and b" "a, b and c"]
