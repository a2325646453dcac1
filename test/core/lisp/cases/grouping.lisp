;; Sorting, grouping, ranking, counting.

(sort :desc ["b" "c" "a"]) ;=> ["c" "b" "a"]
(sort-by :price [{:price 9} {:price 2}]) ;=> [{:price 2} {:price 9}]
(sort-by :price :desc [{:price 9} {:price 20}]) ;=> [{:price 20} {:price 9}]
(sort-by (fn [m] (- (:n m))) [{:n 1} {:n 3} {:n 2}]) ;=> [{:n 3} {:n 2} {:n 1}]
(sort-by [:user :name] [{:user {:name "Zoe"}} {:user {:name "Al"}}]) ;=> [{:user {:name "Al"}} {:user {:name "Zoe"}}]
(sort-by downcase ["b" "A" "C"]) ;=> ["A" "b" "C"]
(sort-by last ["az" "by" "cx"]) ;=> ["cx" "by" "az"]
(sort-by :k [{:k 1 :i 1} {:k 0 :i 2} {:k 1 :i 3}]) ;=> [{:i 2 :k 0} {:i 1 :k 1} {:i 3 :k 1}]
(sort-by :k > [{:k 1 :i 1} {:k 2 :i 2} {:k 1 :i 3}]) ;=> [{:i 2 :k 2} {:i 1 :k 1} {:i 3 :k 1}]
(sort-by :due [{:id 1 :due "2031-03-01"} {:id 2 :due "2030-12-31"}]) ;=> [{:due "2030-12-31" :id 2} {:due "2031-03-01" :id 1}]
(map first (sort-by second > {"a" 1 "b" 3 "c" 2})) ;=> ["b" "c" "a"]
(reverse (sort-by count ["aaa" "b" "cc"])) ;=> ["aaa" "cc" "b"]
(sort compare ["b" "a"]) ;=> ["a" "b"]
(sort (fn [a b] (compare (:n b) (:n a))) [{:n 1} {:n 2}]) ;=> [{:n 2} {:n 1}]
(sort-by :n nil) ;=> []
(sort [3 1] >) ;!! type_error
(sort-by [{:a 1}] :a) ;!! type_error
(group-by :type [{:type "a" :n 1} {:type "b" :n 2} {:type "a" :n 3}]) ;=> {"a" [{:n 1 :type "a"} {:n 3 :type "a"}] "b" [{:n 2 :type "b"}]}
(keys (group-by even? (range 4))) ;=> [false true]
(update-vals (group-by odd? [1 2 3]) count) ;=> {false 1 true 2}
(group-by :missing [{:a 1}]) ;=> {nil [{:a 1}]}
(group-by (fn [n] (quot n 10)) [5 12 18 31]) ;=> {0 [5] 1 [12 18] 3 [31]}
(group-by type [1 "a" 2 :k]) ;=> {:keyword [:k] :number [1 2] :string ["a"]}
(map (fn [[k v]] [k (count v)]) (group-by first ["ant" "bee" "ape"])) ;=> [["a" 2] ["b" 1]]
(frequencies [:x :y :x]) ;=> {:x 2 :y 1}
(sort-by val > (frequencies "mississippi")) ;=> [["i" 4] ["s" 4] ["p" 2] ["m" 1]]
(first (sort-by (juxt (fn [[_ n]] (- n)) first) (frequencies ["b" "a" "a" "b" "c"]))) ;=> ["a" 2]
(distinct-by :email [{:email "x" :n 1} {:email "y" :n 2} {:email "x" :n 3}]) ;=> [{:email "x" :n 1} {:email "y" :n 2}]
(distinct (map downcase ["A" "a" "B"])) ;=> ["a" "b"]
(map-indexed (fn [i x] {:rank (inc i) :x x}) (sort > [10 30 20])) ;=> [{:rank 1 :x 30} {:rank 2 :x 20} {:rank 3 :x 10}]
(take 2 (sort-by :n :desc [{:n 1} {:n 3} {:n 2}])) ;=> [{:n 3} {:n 2}]
(min-by :n []) ;=> nil
(max-by :date [{:date "2031-01-05"} {:date "2031-01-15"}]) ;=> {:date "2031-01-15"}
(apply max-key count ["ab" "abcd" "a"]) ;=> "abcd"
(sum-by :n []) ;=> 0
(avg-by :n [{:n 1} {:n 4}]) ;=> 2.5
(avg [1 2 3 4]) ;=> 2.5
(sum [0.1 0.2]) ;=> 0.3
(let [xs [4 1 3 2] s (sort xs) n (count s)] (/ (+ (nth s (dec (quot n 2))) (nth s (quot n 2))) 2)) ;=> 2.5
(let [xs [2 4 4 4 5 5 7 9] m (avg xs)] (sqrt (avg (map #(pow (- % m) 2) xs)))) ;=> 2.0
(let [f (frequencies [3 1 3 2])] (key (max-by val f))) ;=> 3

;; Tables
(def sales [{:region "north" :rep "Ann" :amount 120}
            {:region "south" :rep "Bob" :amount 80}
            {:region "north" :rep "Cid" :amount 200}
            {:region "south" :rep "Bob" :amount 40}])
(->> (group-by :region sales)
     (map (fn [[region rows]] {:region region :total (sum-by :amount rows) :rows (count rows)}))
     (sort-by :total >))
;=> [{:region "north" :rows 2 :total 320} {:region "south" :rows 2 :total 120}]
(->> [{:d "mon" :h 8} {:d "tue" :h 6} {:d "mon" :h 2}]
     (reduce (fn [m {:keys [d h]}] (update m d (fnil + 0) h)) {}))
;=> {"mon" 10 "tue" 6}
(let [rows [["a" 1] ["b" 2] ["a" 3]]]
  (update-vals (group-by first rows) (fn [pairs] (map second pairs))))
;=> {"a" [1 3] "b" [2]}
(let [people [{:n "A" :age 31} {:n "B" :age 25} {:n "C" :age 39} {:n "D" :age 62}]
      decade #(* 10 (quot (:age %) 10))]
  (->> people
       (group-by decade)
       (sort-by key)
       (map (fn [[k ps]] (str k "s: " (join ", " (map :n ps)))))))
;=> ["20s: B" "30s: A, C" "60s: D"]
(let [scores [{:team "x" :pts 3} {:team "y" :pts 1} {:team "x" :pts 1} {:team "z" :pts 3} {:team "y" :pts 3}]]
  (->> (group-by :team scores)
       (map (fn [[team games]] [team (sum-by :pts games)]))
       (sort-by (juxt (fn [[_ pts]] (- pts)) first))))
;=> [["x" 4] ["y" 4] ["z" 3]]
(let [ranked (sort > [50 70 50 90])
      rank-of (fn [s] (inc (count (filter #(> % s) ranked))))]
  (map (fn [s] [s (rank-of s)]) ranked))
;=> [[90 1] [70 2] [50 3] [50 3]]
(let [rows (for [m ["jan" "feb"] p ["a" "b"]] {:m m :p p :v (count (str m p))})]
  (into {} (map (fn [[m rs]] [m (into {} (map (juxt :p :v) rs))]) (group-by :m rows))))
;=> {"feb" {"a" 4 "b" 4} "jan" {"a" 4 "b" 4}}
(let [index (reduce (fn [ix [doc text]]
                      (reduce (fn [ix word] (update ix word (fnil conj #{}) doc)) ix (re-seq #"\w+" text)))
                    {}
                    [[1 "red green"] [2 "green blue"]])]
  (map index ["red" "green" "black"]))
;=> [#{1} #{1 2} nil]
(let [bucket (fn [ms] (cond (< ms 10) "<10" (< ms 100) "<100" :else ">=100"))]
  (frequencies (map bucket [3 50 7 99 100 2500])))
;=> {"<10" 2 "<100" 2 ">=100" 2}
(let [xs [1 2 2 3 3 3 10]
      at (fn [p] (nth (sort xs) (int (* p (dec (count xs))))))]
  {:p50 (at 0.5) :p90 (at 0.9) :max (at 1)})
;=> {:max 10 :p50 3 :p90 3}
